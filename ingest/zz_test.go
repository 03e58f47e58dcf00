package ingest
import ("testing";"time";"fmt";"hdseg/manifests")
func TestZZ(t *testing.T){
 dir:=dataDir(t)
 for _,w:=range []int{1,2,4,8}{
 req:=realRequest(dir,Horse(),"n02374451"); req.Workers=w
 s,_:=manifests.OpenStore(t.TempDir())
 c:=cpu(); t0:=time.Now(); if _,err:=Run(t.Context(),req,s,nil);err!=nil{t.Fatal(err)}
 fmt.Println(w,time.Since(t0),cpu()-c)
 t0=time.Now(); Run(t.Context(),req,s,nil); fmt.Println(" again",time.Since(t0))
 }
}
